"""The Data tab: sessions become files of training rows, and rows become sessions."""
