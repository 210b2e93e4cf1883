package launch

func session() int { return 0 }
