"""What the pipeline asks of an index (``base``), and the arrays that answer in this process."""
