"""Tournaments: a plan, a schedule, results that survive anything, ratings, tables and reports."""
