"""Selections of data that anybody can make again: by hash, by subsets, by sessions."""
