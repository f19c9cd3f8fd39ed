"""The papers' figures and tables, made again from scratch, and what lies beyond them.

    python3 -m postil.experiments list
    python3 -m postil.experiments run diabetes

A module for each figure or table: its settings stand on top, its expected values in expected.csv beside it.
"""
