package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
)

// process is this process, as others tell it from theirs.
type process struct {
	clock poll.Clock
	began time.Time // an object made later is no earlier run's

	// run names the run of the CLI, the parent of all its providers: equal blocks of one run
	// are different objects. Process numbers repeat, and are 1 in each container, so that
	// the start of the parent and the machine belong to the name.
	run string
	// place names the configuration and workspace of the CLI: an equal object of another one
	// is not this one's.
	place string
	// claimed has the ids of objects that no creation may adopt any more: another one has, or
	// this run has deleted them, and a list that lags still shows them.
	claimed sync.Map
}

var began = time.Now()

var thisProcess = sync.OnceValue(func() *process {
	return &process{clock: poll.RealTime, began: began, run: thisRun(), place: thisPlace()}
})

func thisRun() string {
	host, _ := os.Hostname()
	return attribute.HashOfText(fmt.Sprint(host, " ", os.Getppid(), " ", parentStart(os.Getppid())))[:shortHash]
}

// parentStart tells processes with equal numbers apart by the machine's boot, the container
// and the start of the process, which Linux shows; "" on other systems.
func parentStart(pid int) string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	container, _ := os.Readlink("/proc/self/ns/pid")
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	const startTime = 19 // of the fields after the name, which may hold spaces
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) <= startTime {
		return ""
	}
	return strings.TrimSpace(string(boot)) + container + fields[startTime]
}

func thisPlace() string {
	dir, _ := os.Getwd()
	data := os.Getenv("TF_DATA_DIR")
	if data == "" {
		data = ".terraform"
	}
	selected, _ := os.ReadFile(filepath.Join(data, "environment"))
	return strings.Join([]string{dir, os.Getenv("TF_WORKSPACE"), string(selected)}, "\x00")
}
