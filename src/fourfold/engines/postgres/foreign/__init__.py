"""Graphs and vector stores in tables that others made, in any PostgreSQL database that we may read.

They are only read. What is derived from them lives in a schema of ours beside them, as any graph of ours does.
"""
