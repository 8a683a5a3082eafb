"""What a running process reports to its operator: spans, metrics, log lines. Never content, names, handles or ids of users.

Read in this order: `stages` (a stage of a pipeline: a span and a duration), `metrics` (all of them, declared in one place),
`traces` (ids of traces: taken from callers, handed on), `process` (what a process that stays switches on), `json_logs`,
`exporting`.
"""
