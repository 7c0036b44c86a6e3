import type { Migration } from '@weir/postgres';

/**
 * What became of a grant. Programs of before go on: `budget.take` tells them what it told them, and what they do not settle stays written down as late as
 * it may be.
 */
export const settleMigration: Migration = {
  id: 'budget/0003-settle',
  sql: `
    -- As before, and tells when it was granted and under which moment it is written down (null where none are kept).
    DROP FUNCTION budget.take;
    CREATE FUNCTION budget.take(
      wanted text, lane text, most integer, late_ms float8, logged integer, span_ms float8, interval_ms float8, tolerance_ms float8,
      ticks_per_ms float8, per_day integer, reserve integer, rescreen_most integer, guard_ms float8, told_now float8,
      OUT granted integer, OUT wait_ms float8, OUT limited_by text, OUT granted_at float8, OUT booked_at float8) LANGUAGE plpgsql AS $$
    DECLARE
      day_ms CONSTANT float8 := 86400000;
      most_late_ms CONSTANT float8 := 500;
      s budget.upstreams;
      now_ms float8;
      today integer;
      opens float8;
      room integer;
      earliest float8;
      held integer;
      n integer;
      moment float8;
      with_lock boolean;
    BEGIN
      IF lane NOT IN ('withdrawal', 'deposit', 'rescreen') THEN RAISE EXCEPTION 'no such lane: %', lane; END IF;
      -- First without the lock, for what is refused by an older state is refused by the newest, and a refusal then writes nothing to the disk.
      FOREACH with_lock IN ARRAY ARRAY[false, true] LOOP
        IF with_lock THEN s := budget.locked(wanted);
        ELSE
          SELECT * INTO s FROM budget.upstreams WHERE name = wanted;
          CONTINUE WHEN NOT FOUND;
        END IF;
        -- Read after the lock is held: a time from before the wait for it would be older than the state.
        now_ms := coalesce(told_now, budget.clock_ms());
        today := greatest(s.day, floor(now_ms / day_ms)::integer);
        opens := today * day_ms + guard_ms;
        held := cardinality(s.log);
        IF today <> s.day THEN
          s.used_withdrawal := 0; s.used_deposit := 0; s.used_rescreen := 0;
        END IF;
        room := per_day - s.used_withdrawal - s.used_deposit - s.used_rescreen;
        IF lane <> 'withdrawal' THEN room := room - greatest(0, reserve - s.used_withdrawal); END IF;
        IF lane = 'rescreen' THEN room := least(room, rescreen_most - s.used_rescreen); END IF;
        earliest := greatest(s.tat - tolerance_ms, s.paused_second_until, opens);
        IF logged > 0 AND held >= logged THEN earliest := greatest(earliest, s.log[held - logged + 1] + span_ms); END IF;
        IF s.epoch IS NOT NULL THEN earliest := greatest(earliest, s.held_until + span_ms + most_late_ms); END IF;
        IF now_ms < s.paused_day_until THEN limited_by := 'day'; earliest := s.paused_day_until;
        ELSIF room <= 0 THEN limited_by := 'day'; earliest := opens + day_ms;
        ELSIF now_ms < earliest THEN limited_by := 'second';
        ELSIF now_ms >= (today + 1) * day_ms - guard_ms THEN limited_by := 'second'; earliest := opens + day_ms;
        END IF;
        IF limited_by IS NOT NULL THEN
          wait_ms := greatest(1, ceil(earliest - now_ms));
          RETURN;
        END IF;
      END LOOP;
      n := least(most, room, 1 + greatest(0, floor((tolerance_ms - (greatest(s.tat, now_ms) - now_ms)) / interval_ms)));
      IF logged = 0 THEN s.log := '{}';
      ELSE
        IF n > 1 THEN
          SELECT least(n, logged - count(*)) INTO n FROM unnest(s.log[greatest(1, held - logged + 1):]) m WHERE now_ms < m + span_ms;
        END IF;
        moment := greatest(now_ms + late_ms, s.log[held]);
        s.log := (s.log || array_fill(moment, ARRAY[n]))[greatest(1, held + n - logged + 1):];
      END IF;
      UPDATE budget.upstreams SET
        tat = greatest(CASE WHEN logged = 0 THEN now_ms + late_ms ELSE now_ms END, s.tat) + ceil(n * interval_ms * ticks_per_ms) / ticks_per_ms, log = s.log, day = today,
        used_withdrawal = s.used_withdrawal + CASE WHEN lane = 'withdrawal' THEN n ELSE 0 END,
        used_deposit = s.used_deposit + CASE WHEN lane = 'deposit' THEN n ELSE 0 END,
        used_rescreen = s.used_rescreen + CASE WHEN lane = 'rescreen' THEN n ELSE 0 END,
        epoch = NULL, holder = NULL
      WHERE name = wanted;
      granted := n;
      granted_at := now_ms;
      booked_at := CASE WHEN logged > 0 THEN moment END;
    END $$;

    -- settle() in decide.ts. instead is null for what was not used. Not waiting for the disk is safe: what a crash loses stays written down later than it was.
    CREATE FUNCTION budget.settle(wanted text, booked float8, instead float8, n integer) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      s budget.upstreams;
      first integer;
      found integer;
      rest float8[];
    BEGIN
      PERFORM set_config('synchronous_commit', 'off', true);
      s := budget.locked(wanted);
      first := array_position(s.log, booked);
      IF s.epoch IS NOT NULL OR first IS NULL THEN RETURN; END IF;
      SELECT least(n, count(*)) INTO found FROM unnest(s.log) m WHERE m = booked;
      rest := s.log[:first - 1] || s.log[first + found:];
      IF instead IS NOT NULL THEN rest := rest || array_fill(instead, ARRAY[found]); END IF;
      UPDATE budget.upstreams SET log = (SELECT coalesce(array_agg(m ORDER BY m), '{}') FROM unnest(rest) m) WHERE name = wanted;
    END $$;`,
};
