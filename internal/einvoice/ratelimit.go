package einvoice

import (
	"context"
	"net/http"
)

type pacer struct{}

type permit struct{}

func newPacer(perMinute, perSecond int, dir, fingerprint string) *pacer { return nil }

func (p *pacer) acquire(ctx context.Context) (*permit, error) { return nil, ctx.Err() }

func (p *permit) answered(status int, header http.Header) {}
func (p *permit) lost()                                   {}
func (p *permit) unused()                                 {}
