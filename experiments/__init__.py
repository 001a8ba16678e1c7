"""Matches, benchmarks and reports on top of kgb_env and agents."""
