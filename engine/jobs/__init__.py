"""Background work: a queue in Postgres, the jobs on it, and the results of their runs.

Read in this order: `runs` (what a job is, and its runs), `jobs` (asking for a run, looking at them), `queue` (the library
behind it, and the worker). Which jobs there are stands in `engine.wiring.job_catalogue`.
"""
