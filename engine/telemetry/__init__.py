"""What a running process reports to its operator: spans, metrics, log lines. Never content, names, handles or ids of users.

Read in this order: `stages` (a stage of a pipeline: a span and a duration; ids of traces, taken from callers and handed on),
`metrics` (all of them, declared in one place), `process` (what a process that stays switches on, as log lines in JSON),
`exporting`.
"""
