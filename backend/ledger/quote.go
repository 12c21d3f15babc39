package ledger

// Quote sets page text in quotation marks for a sentence.
func Quote(s string) string { return "“" + s + "”" }
