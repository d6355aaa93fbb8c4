"""Geometry of the charts that the server draws. Pure: numbers in, coordinates out.

Nothing here knows of HTML. Coordinates are ready strings, so that no template formats a number
and no locale writes a comma where SVG needs a point.
"""
