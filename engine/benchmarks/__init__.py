"""What the engine is measured by: one module a benchmark, each with `measure(settings, data, progress) -> Report`.

`meter` reads wall clock and CPU of all processes, `trips` counts network round trips, `corpus` makes the texts,
`ground` is the empty home that a benchmark runs on.
"""
