package main

import (
	"testing"
	"time"
)

// TestStoryAbsentTopic: the topic of the only fleet is not there, so that its window never begins. Within two minutes a receiver is
// told, once, that nothing is seen; when the topic is made, within three minutes that all is.
func TestStoryAbsentTopic(t *testing.T) {
	watchedStory(t, func(t *testing.T, w *watched) {
		begun := time.Now()
		time.Sleep(10 * time.Minute)
		w.pager.expect(t, "blind", begun, 2*time.Minute)
		there := time.Now()
		if err := w.cluster.CreateTopic("requests", 4, nil); err != nil {
			t.Fatal(err)
		}
		w.write(5 * time.Minute)
		w.pager.expect(t, "sighted", there, 3*time.Minute)
	})
}
