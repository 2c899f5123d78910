package app

import "context"

func doctor(context.Context, Invocation, Options) error { return nil }
