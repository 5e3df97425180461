"""The parts of the example verify.py, which see."""
