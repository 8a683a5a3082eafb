"""Benchmarks: one module each, with `measure(settings, data, progress) -> Report`.

`meter` reads wall clock and CPU of all processes, `trips` counts network round trips, `corpus` makes the texts,
`ground` provides the empty home that a benchmark runs on.
"""
