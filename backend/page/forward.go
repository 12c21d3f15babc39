package page

import "kuang/backend/verb"

func (v *verbs) forward() verb.Definition {
	return verb.Define(v.historyStep(verb.Definition{
		Name: "forward", Title: "Go forward", Domain: "page.forward",
		Summary:     "Go one page forward in the tab's history.",
		Description: "Undoes a step back. Without a page to go forward to it fails and stays.",
	}, "Went forward to ", "back"), v.step(+1))
}
