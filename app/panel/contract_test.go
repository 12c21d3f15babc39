package panel

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the panel's half of the contract")

const contractPath = "../../frontend/src/lib/backend/contract.ts"

// TestContract keeps the script's types equal to what the bridge sends.
func TestContract(t *testing.T) {
	got := newContract(t).write()
	if *update {
		if err := os.WriteFile(contractPath, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(contractPath)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Fatalf("%s is stale; go test ./app/panel -update rewrites it", contractPath)
	}
}

// contract writes TypeScript for the methods of Panel and every type that they and the event reach.
type contract struct {
	t     *testing.T
	files map[string][]*ast.File // by import path
	names map[string]reflect.Type
	order []reflect.Type
}

func newContract(t *testing.T) *contract {
	return &contract{t: t, files: map[string][]*ast.File{}, names: map[string]reflect.Type{}}
}

func (c *contract) write() string {
	var methods, wire strings.Builder
	typ := reflect.TypeFor[*Panel]()
	for i := range typ.NumMethod() {
		m := typ.Method(i)
		name := lowerFirst(m.Name)
		fmt.Fprintf(&methods, "  %s(%s): Promise<%s>;\n", name, c.params(m), c.result(m))
		fmt.Fprintf(&wire, "  %s: %q,\n", name, m.Name)
	}
	c.ref(reflect.TypeFor[Changed]())
	c.ref(reflect.TypeFor[BridgeError]())

	var b strings.Builder
	b.WriteString("// Generated from app/panel by `go test ./app/panel -update`. Change it there.\n\n")
	b.WriteString("/** RFC 3339. */\nexport type Timestamp = string;\n\n")
	for i := 0; i < len(c.order); i++ { // Declaring a type may reach more types.
		b.WriteString(c.declare(c.order[i]))
	}
	fmt.Fprintf(&b, "/** The one event on the bridge; its payload is Changed. */\nexport const changedEvent = %q;\n\n", Event)
	fmt.Fprintf(&b, "/** What can be asked of the backend. */\nexport interface Methods {\n%s}\n\n", methods.String())
	fmt.Fprintf(&b, "/** The names of the methods on the bridge. */\nexport const wireNames: Readonly<Record<keyof Methods, string>> = {\n%s};\n", wire.String())
	return b.String()
}

func (c *contract) params(m reflect.Method) string {
	names := c.paramNames(m.Name)
	var list []string
	for i := 1; i < m.Type.NumIn(); i++ { // 0 is the receiver
		list = append(list, names[i-1]+": "+c.ref(m.Type.In(i)))
	}
	return strings.Join(list, ", ")
}

func (c *contract) result(m reflect.Method) string {
	n := m.Type.NumOut()
	if n == 0 || n > 2 || m.Type.Out(n-1) != reflect.TypeFor[error]() {
		c.t.Fatalf("%s: a bound method returns an error, and at most one value before it", m.Name)
	}
	if n == 1 {
		return "void"
	}
	return c.ref(m.Type.Out(0))
}

// ref names a type in TypeScript and queues its declaration.
func (c *contract) ref(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[time.Time]():
		return "Timestamp"
	case reflect.TypeFor[json.RawMessage](), reflect.TypeFor[any]():
		return "unknown"
	}
	if t.Name() != "" && (t.Kind() == reflect.Struct || t.Kind() == reflect.String && t.PkgPath() != "") {
		c.queue(t)
		return c.name(t)
	}
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "number"
	case reflect.Slice:
		return c.ref(t.Elem()) + "[]"
	case reflect.Map:
		return "Record<string, " + c.ref(t.Elem()) + ">"
	case reflect.Pointer:
		return c.ref(t.Elem()) + " | null"
	}
	c.t.Fatalf("no TypeScript for %v", t)
	return ""
}

// name tells apart types of one name in two packages: settings.Appearance is SettingsAppearance beside ours.
func (c *contract) name(t reflect.Type) string {
	if other, ok := c.names[t.Name()]; ok && other != t {
		pkg := t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:]
		return strings.ToUpper(pkg[:1]) + pkg[1:] + t.Name()
	}
	return t.Name()
}

func (c *contract) queue(t reflect.Type) {
	if !slices.Contains(c.order, t) {
		if _, taken := c.names[t.Name()]; !taken {
			c.names[t.Name()] = t
		}
		c.order = append(c.order, t)
	}
}

func (c *contract) declare(t reflect.Type) string {
	if t.Kind() == reflect.String {
		return fmt.Sprintf("export type %s = %s;\n\n", c.name(t), strings.Join(c.constants(t), " | "))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "export interface %s {\n", c.name(t))
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			c.t.Fatalf("%v.%s crosses the bridge without a json name", t, f.Name)
		}
		typ := c.ref(f.Type)
		if strings.Contains(options, "omit") {
			name, typ = name+"?", strings.TrimSuffix(typ, " | null")
		}
		fmt.Fprintf(&b, "  %s: %s;\n", name, typ)
	}
	b.WriteString("}\n\n")
	return b.String()
}

// constants lists the values that a package gives a string type, in source order.
func (c *contract) constants(t reflect.Type) []string {
	var values []string
	for _, file := range c.parse(t.PkgPath()) {
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.CONST {
				continue
			}
			for _, spec := range gen.Specs {
				v := spec.(*ast.ValueSpec)
				if id, ok := v.Type.(*ast.Ident); ok && id.Name == t.Name() {
					values = append(values, v.Values[0].(*ast.BasicLit).Value)
				}
			}
		}
	}
	if len(values) == 0 {
		c.t.Fatalf("%v has no typed constants to list", t)
	}
	return values
}

func (c *contract) paramNames(method string) []string {
	var names []string
	for _, file := range c.parse("kuang/app/panel") {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv == nil || f.Name.Name != method {
				continue
			}
			if star, ok := f.Recv.List[0].Type.(*ast.StarExpr); !ok || star.X.(*ast.Ident).Name != "Panel" {
				continue
			}
			for _, p := range f.Type.Params.List {
				for _, n := range p.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

func (c *contract) parse(pkg string) []*ast.File {
	if files, ok := c.files[pkg]; ok {
		return files
	}
	paths, err := filepath.Glob(filepath.Join("../..", strings.TrimPrefix(pkg, "kuang/"), "*.go"))
	if err != nil {
		c.t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			c.t.Fatal(err)
		}
		c.files[pkg] = append(c.files[pkg], f)
	}
	return c.files[pkg]
}

// lowerFirst makes a Go name a script name: Runs is runs, API is api, ExportRun is exportRun.
func lowerFirst(name string) string {
	if strings.ToUpper(name) == name {
		return strings.ToLower(name)
	}
	return strings.ToLower(name[:1]) + name[1:]
}
