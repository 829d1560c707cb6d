package faults_test

func playHistory(string) error { return nil }
