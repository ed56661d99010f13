// Package scenario plays stories: it drives the real core (pipeline.Fleet, then policy.Evaluate at every pane close) with
// generated traffic under virtual time, and writes what a person on call would have read.
//
// It reads no clock and no file; the only randomness is drawn from the seed that the story names. The golden stories of
// testdata/scenarios are its tests, and `firebreak replay --scenario` plays the same files.
//
// A story is a file of directives in the form of cockroachdb/datadriven: a directive and its arguments, lines of input,
// "----", the expected output up to a blank line. "#" starts a comment.
//
//	story              what there is from the start, a line each, see below; forgets any story before it
//	lines at= ...      log lines in the canonical JSON form, through the real decoder: "@3m" is 3 minutes after the start, "\xff" that byte;
//	                   [every=1s] [times=10] repeats them, "@" moving along; [partition=1]; [match=(member, value)]
//	world              what comes from outside the log from now on, a line each, see below
//	run 10m [apply]    goes on for that long; apply carries ready plans out; [show=(note, warmup)]; [digits=2]
//	expect ...         what must be true of all since the story began, whatever the golden output says, see below
//	stats              what became of the records
//
// Lines of a story. Rates are requests/s, shares are written 12% or 0.12, samplings 1:100, times as Go durations.
//
//	fleet [name] [shards=16] [spare=1] [dedicated=1] [place=key|tenant|(tenant, key)|explicit|none] [hash=] [bounds=(h, p)] [log=client|shard]
//	      [sampling=] [default_rate=1:100] [capacity=8000] [reads=] [writes=] [mode=observe|approve|auto]
//	      [approvers=(ann)] [warmup=1m]
//	      [without=(tenant, op, key, time)] [named] [whole] [pane=10s]
//	draw exact | draw poisson seed=7
//	shard NAME [role=draining] [capacity=]
//	salt KEY [tenant=] suffixes=(1, 2, 3)         placed TENANT shards=(dedicated-0)         quota TENANT rate=
//	space [prefix=] [tenant=] [merge=counter] [staleness=10s]                              window [days=(mon)] from=22:00 to=04:00
//	pin [key=] [tenant=] [shard=]                 mode FIX auto                            limit [per_hour=] [at_once=] [moved=10%]
//	key NAME | tenant NAME | volume NAME: a stream of requests
//	      rate= [reads=0%] [keys=1] [tenants=] [tenant=] [top=] [zipf=] [shard=3] [vshard] [from=] [until=] [ramp=5m]
//	      [flap=(on, off)] [wave=(share, period)] [clump=] [sample=1:100] [unrated=1%] [caller=] [callers=80%]
//	      [logged=shard-4] [skew=60%] [fresh] [partition=] [fleet=]
//
// A stream of several keys gives each the same rate, or by zipf; its keys are named NAME-1, NAME-2 ... as they fall on the
// shards: the same number on each, on the one that it names, or anywhere with zipf.
//
// Lines of a world, on the fleet that the last "fleet NAME" line in it names, the first one if none does:
//
//	health SHARD METRIC=value ...                 operation ID shard= fix= [open] [settled=5m] [no_effect] [footprint=plan]
//	clients [routed] [behind=(app-7)]             approve SHARD by= [ago=40m]              budget [hour=] [open=]
//	operator [stop] [reason=]                     history TENANT peak=
//	demand TENANT rate=
//	input [coverage=] [lag=] [missing=(3, 7)] [sampling=by_key]
//
// What can be expected, of the fleet that fleet= names or of the first one:
//
//	hotspots= lines= resolved= critical= operations= undos= findings=     how many: hotspots that fired, firing lines, ...
//	cause= fix= key= tenant= shard= caller= dimension= contributors=      exactly these, over all firing lines: (a, b)
//	salt= read_multiplier= key_read_multiplier= after= share= load= mean= imbalance= read_share=
//	                                                                      of every firing line: value or (value, tolerance)
//	within=2m                   from the onset to the first firing line
//	held=(a, b) advice=(a, b)   among what was said; advice=none for none at all
//	never=(a, b)                reasons to hold that must not come up
//	finding=(text)              part of a finding
//	even=5%                     the last window's loads of serving shards are the mean's
package scenario
