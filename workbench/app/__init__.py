"""What the edges share: kept values with their ids, the ports, Services, and a turn played and kept."""
