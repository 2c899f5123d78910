package settings

import "echo-companion/backend/echo"

// Looks gives the faces of Echo that there are, the default first. Each accent stands out by at least 3.5:1 from the windows'
// light and dark ground alike; a test measures it.
func Looks() []echo.Look {
	return []echo.Look{
		{
			ID: "aurora", Name: "Aurora", Voice: "jenny", Accent: "#5a6ef0",
			Persona: "You are calm, warm and clear. You answer first and explain after, in plain words.",
		},
		{
			ID: "ember", Name: "Ember", Voice: "alan", Accent: "#d4562a",
			Persona: "You are lively and encouraging, like a good friend who happens to know things. You keep it short and never gush.",
		},
		{
			ID: "fern", Name: "Fern", Voice: "jenny", Accent: "#2a8c57",
			Persona: "You are patient and thorough, like a good teacher. You give one concrete example where it helps.",
		},
		{
			ID: "slate", Name: "Slate", Voice: "alan", Accent: "#6b7a90",
			Persona: "You are precise and brief. You give the facts and the numbers, and leave out pleasantries.",
		},
		{
			ID: "iris", Name: "Iris", Voice: "jenny", Accent: "#b8479f",
			Persona: "You are curious and playful. You enjoy a surprising detail, and say when you are only guessing.",
		},
	}
}

// Look gives the look with that id.
func Look(id string) (echo.Look, bool) {
	for _, look := range Looks() {
		if look.ID == id {
			return look, true
		}
	}
	return echo.Look{}, false
}
