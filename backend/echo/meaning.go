package echo

// Unlearnt is a message whose meaning is not known yet.
type Unlearnt struct {
	ID   int64 // of its place in the line, which is never given twice
	Text string
}

// Meaning is what a message means: a vector for each of its parts, which may be none.
type Meaning struct {
	ID    int64 // of the Unlearnt
	Parts [][]float32
}

// Kin is a message that is like a query in meaning.
type Kin struct {
	Hit      // without a snippet
	Part     int
	Likeness float64 // of that part, at most 1
}
