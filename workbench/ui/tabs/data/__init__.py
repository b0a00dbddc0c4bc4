"""The pages Explore, Export and Import: look at data sets, export sessions to training rows, and import rows."""
