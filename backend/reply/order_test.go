package reply_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/reply"
)

func TestFloorIsTakenInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		floor := reply.NewFloor()
		first, ok := floor.TryTake("a")
		require.True(t, ok)
		require.True(t, floor.Taken("a"))
		_, ok = floor.TryTake("a")
		require.False(t, ok)
		other, ok := floor.TryTake("b")
		require.True(t, ok, "another chat has a floor of its own")
		other()
		require.False(t, floor.Taken("b"))

		var order []int
		var wg sync.WaitGroup
		for n := range 3 {
			wg.Go(func() {
				release, err := floor.Take(t.Context(), "a")
				require.NoError(t, err)
				order = append(order, n)
				release()
				release() // says nothing more
			})
			synctest.Wait()
		}
		_, ok = floor.TryTake("a")
		require.False(t, ok, "nobody overtakes those who wait")
		first()
		first()
		wg.Wait()
		require.Equal(t, []int{0, 1, 2}, order)
		require.False(t, floor.Taken("a"))
	})
}

func TestFloorIsGivenUpWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		floor := reply.NewFloor()
		release, err := floor.Take(t.Context(), "a")
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := floor.Take(ctx, "a")
			require.Equal(t, context.Canceled, err)
		})
		synctest.Wait()
		cancel()
		wg.Wait()
		release()
		_, err = floor.Take(ctx, "a")
		require.Equal(t, context.Canceled, err)
		require.False(t, floor.Taken("a"))
	})
}

func TestDeskServesVoiceFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		desk := reply.NewDesk()
		first, err := desk.Take(t.Context(), false, func() { t.Error("it was free") })
		require.NoError(t, err)
		var order []string
		waited := 0
		var wg sync.WaitGroup
		for _, who := range []string{"typed 1", "typed 2", "voice 1", "voice 2"} {
			wg.Go(func() {
				release, err := desk.Take(t.Context(), who[0] == 'v', func() { waited++ })
				require.NoError(t, err)
				order = append(order, who)
				release()
				release()
			})
			synctest.Wait()
		}
		gone, leave := context.WithCancel(t.Context())
		wg.Go(func() {
			_, err := desk.Take(gone, true, nil)
			require.Equal(t, context.Canceled, err)
		})
		synctest.Wait()
		leave()
		synctest.Wait()
		first()
		wg.Wait()
		require.Equal(t, []string{"voice 1", "voice 2", "typed 1", "typed 2"}, order)
		require.Equal(t, 4, waited)
		release, err := desk.Take(t.Context(), false, nil)
		require.NoError(t, err)
		release()
	})
}

func TestDeskSpareTimeComesLastAndGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		desk := reply.NewDesk()
		within, release, err := desk.Spare(t.Context())
		require.NoError(t, err)
		require.NoError(t, within.Err())
		var order []string
		var wg sync.WaitGroup
		wg.Go(func() {
			again, free, err := desk.Spare(t.Context())
			require.NoError(t, err)
			require.NoError(t, again.Err())
			order = append(order, "spare")
			free()
		})
		synctest.Wait()
		require.NoError(t, within.Err(), "spare time does not give way to spare time")
		wg.Go(func() {
			free, err := desk.Take(t.Context(), false, nil)
			require.NoError(t, err)
			order = append(order, "typed")
			free()
		})
		synctest.Wait()
		require.Error(t, within.Err(), "a reply waits")
		release()
		release()
		wg.Wait()
		require.Equal(t, []string{"typed", "spare"}, order)
		gone, leave := context.WithCancel(t.Context())
		leave()
		_, _, err = desk.Spare(gone)
		require.ErrorIs(t, err, context.Canceled)
	})
}

// TestDeskSpareTimeGivesWayToWhoComesAsItBegins has spare time begin and a reply come in the same moment.
func TestDeskSpareTimeGivesWayToWhoComesAsItBegins(t *testing.T) {
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			desk := reply.NewDesk()
			before, err := desk.Take(t.Context(), false, nil)
			require.NoError(t, err)
			var wg sync.WaitGroup
			wg.Go(func() {
				within, free, err := desk.Spare(t.Context())
				require.NoError(t, err)
				<-within.Done()
				free()
			})
			synctest.Wait()
			before()
			after, err := desk.Take(t.Context(), false, nil)
			require.NoError(t, err)
			after()
			wg.Wait()
		})
	}
}

// TestOneAtATime races takers that give up against those who do not: nobody meets, and nothing stays taken.
func TestOneAtATime(t *testing.T) {
	floor, desk := reply.NewFloor(), reply.NewDesk()
	takers := map[string]func(ctx context.Context, n int) (func(), error){
		"floor": func(ctx context.Context, _ int) (func(), error) { return floor.Take(ctx, "a") },
		"desk": func(ctx context.Context, n int) (func(), error) {
			if n%5 == 1 {
				_, release, err := desk.Spare(ctx)
				return release, err
			}
			return desk.Take(ctx, n%3 == 0, nil)
		},
	}
	for name, take := range takers {
		t.Run(name, func(t *testing.T) {
			var inside, taken atomic.Int32
			var wg sync.WaitGroup
			for n := range 200 {
				wg.Go(func() {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if n%2 == 0 {
						go cancel()
					}
					release, err := take(ctx, n)
					if err != nil {
						return
					}
					if inside.Add(1) != 1 {
						t.Error(fmt.Sprint("two at once: ", n))
					}
					taken.Add(1)
					inside.Add(-1)
					release()
				})
			}
			wg.Wait()
			require.GreaterOrEqual(t, taken.Load(), int32(100))
			release, err := take(t.Context(), 0)
			require.NoError(t, err)
			release()
		})
	}
	require.False(t, floor.Taken("a"))
}
