"""Background work: a queue in Postgres, the jobs on it, and the results of their runs.

Read in this order: `job` (what a job is), `catalogue` (which there are), `jobs` (asking for a run, looking at them),
`queue` (the library behind it, and the worker).
"""
