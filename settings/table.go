package settings

// table is the schema of the Shadow Walk policy, in panel order. Where, and the Off line of a lever that has a
// refusal code, are filled in by indexed.
func table() []Lever {
	const (
		reading  = "Reading"
		moving   = "Moving and marking"
		text     = "Text that the page kept to itself"
		changing = "Changing the page"
	)
	return []Lever{
		{Key: Master, Name: "Shadow Walk",
			Line: "One switch above all the others. While it is off, no call gets into sealed content or frames.",
			Tier: Safe, Kind: Switch, Default: true, Code: "SHADOW_WALK_DISABLED",
			Page: "overview", Group: "Master switch", Built: true},

		{Key: "shadow.axSealed", Name: "Sealed controls",
			Line: "Lets a call find the buttons and fields of closed components by role and name. What somebody typed is never read.",
			Tier: Safe, Kind: Switch, Default: true, Code: "SEALED_DISABLED",
			Page: "shadow-dom", Group: reading, Built: true},
		{Key: "shadow.deepOpenRoots", Name: "Open roots",
			Line: "Lets a call look into the components that a page did not close.",
			Tier: Safe, Kind: Switch, Default: true, Code: "DEEP_OPEN_ROOTS_DISABLED",
			Page: "shadow-dom", Group: reading, Built: true},
		{Key: "shadow.componentSurface", Name: "Component signatures",
			Line: "Tells one component from another by its tag, parts and style variables, which any script can see.",
			Tier: Safe, Kind: Switch, Default: true, Code: "SIGNATURE_UNAVAILABLE",
			Page: "shadow-dom", Group: reading},
		{Key: "shadow.cdpStyleMatch", Name: "Style sources",
			Line: "Names the stylesheet behind each sealed control. Every control costs one more read.",
			Off:  "the answer leaves this out",
			Tier: Cost, Kind: Switch, Default: false,
			Page: "shadow-dom", Group: reading},

		{Key: "shadow.tabWalk", Name: "Tab walk",
			Line: "Lets a call press Tab to move through a component, so the focus ring moves in front of you.",
			Tier: Visible, Kind: Switch, Default: true, Code: "TAB_WALK_DISABLED",
			Page: "shadow-dom", Group: moving},
		{Key: "shadow.tabWalkMaxSteps", Name: "Steps in one walk",
			Line: "After this many presses a walk ends, wherever it is.",
			Tier: Visible, Kind: Number, Default: 8, Min: 1, Max: 24,
			Page: "shadow-dom", Group: moving, Parent: "shadow.tabWalk"},
		{Key: "shadow.tabWalkRestoreFocus", Name: "Put focus back",
			Line: "After a walk that went wrong, focus goes back to where it began.",
			Off:  "focus stays where the walk ended",
			Tier: Visible, Kind: Switch, Default: true,
			Page: "shadow-dom", Group: moving, Parent: "shadow.tabWalk"},
		{Key: "shadow.partHighlight", Name: "Outline parts",
			Line: "Marks the exported parts of components in one screenshot. The page can see the added style.",
			Off:  "pictures show the page as it is",
			Tier: Visible, Kind: Switch, Default: false,
			Page: "shadow-dom", Group: moving},

		{Key: "shadow.sealedText", Name: "Sealed text",
			Line: "Lets a call read the words inside closed components, though never what is in a field.",
			Off:  "the answer holds names and no text",
			Tier: Safe, Kind: Switch, Default: false,
			Page: "shadow-dom", Group: text},

		{Key: ForceOpen, Name: "Force open",
			Line: "Swaps attachShadow for one that leaves every root open, before a page runs its first script. Any page can find out.",
			Off:  "closed roots stay closed",
			Tier: Risky, Kind: Switch, Default: false,
			Page: "shadow-dom", Group: changing, Built: true},

		{Key: "frames.geometry", Name: "Frame places",
			Line: "Lets a call list the frames of a page, with the address and the place of each.",
			Tier: Safe, Kind: Switch, Default: true, Code: "FRAMES_DISABLED",
			Page: "iframes", Group: reading},
		{Key: "frames.maxFrames", Name: "Frames in one answer",
			Line: "Any more than this are only counted.",
			Tier: Safe, Kind: Number, Default: 6, Min: 1, Max: 24,
			Page: "iframes", Group: reading, Parent: "frames.geometry"},
		{Key: "frames.controls", Name: "Controls in frames",
			Line: "Adds the buttons and fields of each frame to the list.",
			Off:  "the answer leaves this out",
			Tier: Safe, Kind: Switch, Default: true,
			Page: "iframes", Group: reading},
		{Key: "frames.maxControls", Name: "Controls in one frame",
			Line: "Any more than this are only counted.",
			Tier: Safe, Kind: Number, Default: 40, Min: 1, Max: 200,
			Page: "iframes", Group: reading, Parent: "frames.controls"},
		{Key: "frames.screenshots", Name: "Frame pictures",
			Line: "When a call asks, takes one picture of the page and cuts it into one for each frame.",
			Off:  "the answer leaves this out",
			Tier: Safe, Kind: Switch, Default: true,
			Page: "iframes", Group: reading},
		{Key: "frames.screenshotMaxSide", Name: "Longest side of a picture",
			Line: "A picture that is larger is made smaller.",
			Tier: Safe, Kind: Number, Default: 1024, Min: 256, Max: 4096, Unit: "px",
			Page: "iframes", Group: reading, Parent: "frames.screenshots"},

		{Key: "cloneLab.enabled", Name: "Clone Lab",
			Line: "Studies a copy of the page, opened in a profile that is thrown away, and leaves your page alone. It never acts. The site does see the copy arrive: a second visit, with its own cookies and its own timing.",
			Off:  "no copy is opened",
			Tier: Visible, Kind: Switch, Default: false,
			Page: "clone-lab", Group: "Clone Lab"},
	}
}
