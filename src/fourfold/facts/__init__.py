"""Questions of facts: what they name, where their words lead from there, and what of that is the answer."""
