package record

import "time"

// parseRFC3339 reads 2006-01-02T15:04:05[.999999999](Z|±07:00) as RFC 3339 section 5.6 has it: T and Z in any case,
// or a space for the T. A leap second is refused.
func parseRFC3339(b []byte) (nanos int64, ok bool) {
	const date = len("2006-01-02T15:04:05")
	if len(b) < date+1 || b[4] != '-' || b[7] != '-' || b[13] != ':' || b[16] != ':' {
		return 0, false
	}
	if b[10] != 'T' && b[10] != 't' && b[10] != ' ' {
		return 0, false
	}
	year, ok1 := digits(b[:4])
	month, ok2 := digits(b[5:7])
	day, ok3 := digits(b[8:10])
	clock, ok4 := timeOfDay(b[11:19])
	rest := b[date:]
	fraction := 0
	if rest[0] == '.' {
		n := digitRun(rest[1:])
		if n == 0 {
			return 0, false
		}
		fraction = nanoFraction(rest[1 : 1+n])
		rest = rest[1+n:]
	}
	offset, ok5 := zoneOffset(rest, true)
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 {
		return 0, false
	}
	return civil(year, month, day, clock-offset, fraction)
}

// parseCLF reads 02/Jan/2006:15:04:05 -0700.
func parseCLF(b []byte) (nanos int64, ok bool) {
	if len(b) != len(clfLayout) || b[2] != '/' || b[6] != '/' || b[11] != ':' || b[14] != ':' || b[17] != ':' || b[20] != ' ' {
		return 0, false
	}
	day, ok1 := digits(b[:2])
	month := monthOf(b[3:6])
	year, ok2 := digits(b[7:11])
	clock, ok3 := timeOfDay(b[12:20])
	offset, ok4 := zoneOffset(b[21:], false)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return 0, false
	}
	return civil(year, month, day, clock-offset, 0)
}

// civil returns the Unix nanoseconds of a date that exists plus seconds.
func civil(year, month, day, seconds, fraction int) (nanos int64, ok bool) {
	if month < 1 || month > 12 || day < 1 || day > daysOf(year, month) {
		return 0, false
	}
	if year > 1677 && year < 2262 { // whatever the rest, int64 holds it
		unix := int64(daysSince1970(year, month, day))*24*60*60 + int64(seconds)
		return unix*int64(time.Second) + int64(fraction), true
	}
	midnight := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return nanosOf(midnight.Add(time.Duration(seconds)*time.Second + time.Duration(fraction)))
}

// daysOf returns the days of a month.
func daysOf(year, month int) int {
	if month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		return 29
	}
	return [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
}

// daysSince1970 counts the days from 1 January 1970 to a date of a positive year: days_from_civil of Hinnant,
// "chrono-Compatible Low-Level Date Algorithms", which begins the year with March.
func daysSince1970(year, month, day int) int {
	if month <= 2 {
		year--
		month += 12
	}
	era := year / 400
	ofEra := year % 400
	return era*146097 + ofEra*365 + ofEra/4 - ofEra/100 + (153*(month-3)+2)/5 + day - 1 - 719468
}

// timeOfDay reads 15:04:05, whose colons the caller has checked, as seconds since midnight.
func timeOfDay(b []byte) (seconds int, ok bool) {
	hour, ok1 := digits(b[:2])
	minute, ok2 := digits(b[3:5])
	second, ok3 := digits(b[6:8])
	return hour*3600 + minute*60 + second, ok1 && ok2 && ok3 && hour < 24 && minute < 60 && second < 60
}

// zoneOffset reads Z (RFC 3339 only), ±07:00 (colon) or ±0700 as seconds east of UTC.
func zoneOffset(b []byte, colon bool) (seconds int, ok bool) {
	if colon {
		if len(b) == 1 && (b[0] == 'Z' || b[0] == 'z') {
			return 0, true
		}
		if len(b) != len("+07:00") || b[3] != ':' {
			return 0, false
		}
	} else if len(b) != len("+0700") {
		return 0, false
	}
	hour, ok1 := digits(b[1:3])
	minute, ok2 := digits(b[len(b)-2:])
	seconds = hour*3600 + minute*60
	if b[0] == '-' {
		seconds = -seconds
	} else if b[0] != '+' {
		return 0, false
	}
	return seconds, ok1 && ok2 && hour < 24 && minute < 60
}

// digits reads a short run of digits, all of b.
func digits(b []byte) (n int, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// nanoFraction reads the digits behind a decimal point as nanoseconds; what is finer is cut.
func nanoFraction(b []byte) int {
	nanos, unit := 0, int(time.Second)
	for _, c := range b {
		unit /= 10
		nanos += int(c-'0') * unit
	}
	return nanos
}

// monthOf returns 1 to 12 for Jan to Dec, 0 for anything else.
func monthOf(b []byte) int {
	switch string(b) {
	case "Jan":
		return 1
	case "Feb":
		return 2
	case "Mar":
		return 3
	case "Apr":
		return 4
	case "May":
		return 5
	case "Jun":
		return 6
	case "Jul":
		return 7
	case "Aug":
		return 8
	case "Sep":
		return 9
	case "Oct":
		return 10
	case "Nov":
		return 11
	case "Dec":
		return 12
	default:
		return 0
	}
}
