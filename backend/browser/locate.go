package browser

func Locate(name string, env func(string) string) (path, product string, tried []string, err error) {
	return "", "", nil, errSkeleton
}
