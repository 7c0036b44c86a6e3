import type { Migration } from '@weir/postgres';

/** Schema `budget`: one row per upstream, and `decide` in SQL. Every call passes the limits, so the configuration can change them. */
export const rateBudgetMigrations: readonly Migration[] = [
  {
    id: 'rate-budget/0001-initial',
    sql: `
      CREATE SCHEMA budget;
      -- Times are Unix milliseconds of this database's clock, in double precision for the same bits as decide.ts.
      CREATE TABLE budget.upstreams (
        name text PRIMARY KEY,
        tat float8 NOT NULL DEFAULT 0,
        log float8[] NOT NULL DEFAULT '{}',
        day integer NOT NULL DEFAULT 0,
        used_withdrawal integer NOT NULL DEFAULT 0,
        used_deposit integer NOT NULL DEFAULT 0,
        used_rescreen integer NOT NULL DEFAULT 0,
        paused_second_until float8 NOT NULL DEFAULT 0,
        paused_day_until float8 NOT NULL DEFAULT 0,
        -- With an epoch a Redis holds the budget: until held_until nobody else grants, and used_* are its reservations.
        epoch uuid,
        holder text,
        acquired_at float8 NOT NULL DEFAULT 0,
        held_until float8 NOT NULL DEFAULT 0);

      CREATE FUNCTION budget.clock_ms() RETURNS float8 LANGUAGE sql VOLATILE AS $$
        SELECT extract(epoch FROM clock_timestamp())::float8 * 1000
      $$;

      -- Locks the upstream's row; creates it if missing.
      CREATE FUNCTION budget.locked(wanted text) RETURNS budget.upstreams LANGUAGE plpgsql AS $$
      DECLARE found_row budget.upstreams;
      BEGIN
        SELECT * INTO found_row FROM budget.upstreams WHERE name = wanted FOR UPDATE;
        IF NOT FOUND THEN
          INSERT INTO budget.upstreams (name) VALUES (wanted) ON CONFLICT DO NOTHING;
          SELECT * INTO found_row FROM budget.upstreams WHERE name = wanted FOR UPDATE;
          IF NOT FOUND THEN RAISE EXCEPTION 'the budget of % was deleted meanwhile', wanted; END IF;
        END IF;
        RETURN found_row;
      END $$;

      -- See ruleArguments in decide.ts.
      CREATE TYPE budget.ask AS (
        lane text, most integer, late_ms float8, logged integer, span_ms float8, interval_ms float8, tolerance_ms float8, ticks_per_ms float8,
        per_day integer, reserve integer, rescreen_most integer, guard_ms float8, most_late_ms float8, told_now float8);
      -- Follows decide() in decide.ts step by step. Either granted or wait_ms is null. A lease that Redis left is taken over a window plus
      -- the largest lateness after its end. logged_at is null without a log.
      CREATE FUNCTION budget.take(wanted text, ask jsonb,
        OUT granted integer, OUT wait_ms float8, OUT limited_by text, OUT granted_at float8, OUT logged_at float8) LANGUAGE plpgsql AS $$
      DECLARE
        a budget.ask := jsonb_populate_record(NULL::budget.ask, ask);
        day_ms CONSTANT float8 := 86400000;
        s budget.upstreams;
        now_ms float8;
        today integer;
        opens float8;
        room integer;
        earliest float8;
        held integer;
        n integer;
        slot_at float8;
        with_lock boolean;
      BEGIN
        IF a.lane NOT IN ('withdrawal', 'deposit', 'rescreen') THEN RAISE EXCEPTION 'no such lane: %', a.lane; END IF;
        -- First without the lock: if an older state rejects, so does the newest, and the rejection writes nothing to disk.
        FOREACH with_lock IN ARRAY ARRAY[false, true] LOOP
          IF with_lock THEN s := budget.locked(wanted);
          ELSE
            SELECT * INTO s FROM budget.upstreams WHERE name = wanted;
            CONTINUE WHEN NOT FOUND;
          END IF;
          -- Read under the lock: a time from before the wait would be older than the state.
          now_ms := coalesce(a.told_now, budget.clock_ms());
          today := greatest(s.day, floor(now_ms / day_ms)::integer);
          opens := today * day_ms + a.guard_ms;
          held := cardinality(s.log);
          IF today <> s.day THEN
            s.used_withdrawal := 0; s.used_deposit := 0; s.used_rescreen := 0;
          END IF;
          room := a.per_day - s.used_withdrawal - s.used_deposit - s.used_rescreen;
          IF a.lane <> 'withdrawal' THEN room := room - greatest(0, a.reserve - s.used_withdrawal); END IF;
          IF a.lane = 'rescreen' THEN room := least(room, a.rescreen_most - s.used_rescreen); END IF;
          earliest := greatest(s.tat - a.tolerance_ms, s.paused_second_until, opens);
          IF a.logged > 0 AND held >= a.logged THEN earliest := greatest(earliest, s.log[held - a.logged + 1] + a.span_ms); END IF;
          IF s.epoch IS NOT NULL THEN earliest := greatest(earliest, s.held_until + a.span_ms + a.most_late_ms); END IF;
          IF now_ms < s.paused_day_until THEN limited_by := 'day'; earliest := s.paused_day_until;
          ELSIF room <= 0 THEN limited_by := 'day'; earliest := opens + day_ms;
          ELSIF now_ms < earliest THEN limited_by := 'second';
          ELSIF now_ms >= (today + 1) * day_ms - a.guard_ms THEN limited_by := 'second'; earliest := opens + day_ms;
          END IF;
          IF limited_by IS NOT NULL THEN
            wait_ms := greatest(1, ceil(earliest - now_ms));
            RETURN;
          END IF;
        END LOOP;
        n := least(a.most, room, 1 + greatest(0, floor((a.tolerance_ms - (greatest(s.tat, now_ms) - now_ms)) / a.interval_ms)));
        IF a.logged = 0 THEN s.log := '{}';
        ELSE
          IF n > 1 THEN
            SELECT least(n, a.logged - count(*)) INTO n FROM unnest(s.log[greatest(1, held - a.logged + 1):]) m WHERE now_ms < m + a.span_ms;
          END IF;
          slot_at := greatest(now_ms + a.late_ms, s.log[held]);
          s.log := (s.log || array_fill(slot_at, ARRAY[n]))[greatest(1, held + n - a.logged + 1):];
        END IF;
        UPDATE budget.upstreams SET
          tat = greatest(CASE WHEN a.logged = 0 THEN now_ms + a.late_ms ELSE now_ms END, s.tat) + ceil(n * a.interval_ms * a.ticks_per_ms) / a.ticks_per_ms, log = s.log, day = today,
          used_withdrawal = s.used_withdrawal + CASE WHEN a.lane = 'withdrawal' THEN n ELSE 0 END,
          used_deposit = s.used_deposit + CASE WHEN a.lane = 'deposit' THEN n ELSE 0 END,
          used_rescreen = s.used_rescreen + CASE WHEN a.lane = 'rescreen' THEN n ELSE 0 END,
          epoch = NULL, holder = NULL
        WHERE name = wanted;
        granted := n;
        granted_at := now_ms;
        logged_at := CASE WHEN a.logged > 0 THEN slot_at END;
      END $$;

      -- A reservation of Redis is not refunded here.
      CREATE FUNCTION budget.refund(wanted text, lane text, n integer, from_ms float8, told_now float8) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        s budget.upstreams := budget.locked(wanted);
        now_ms float8 := coalesce(told_now, budget.clock_ms());
      BEGIN
        IF s.epoch IS NOT NULL THEN RETURN; END IF;
        IF floor(now_ms / 86400000)::integer <> s.day OR now_ms < s.day * 86400000::float8 + from_ms THEN RETURN; END IF;
        UPDATE budget.upstreams SET
          used_withdrawal = greatest(0, s.used_withdrawal - CASE WHEN lane = 'withdrawal' THEN n ELSE 0 END),
          used_deposit = greatest(0, s.used_deposit - CASE WHEN lane = 'deposit' THEN n ELSE 0 END),
          used_rescreen = greatest(0, s.used_rescreen - CASE WHEN lane = 'rescreen' THEN n ELSE 0 END)
        WHERE name = wanted;
      END $$;

      -- settle() in decide.ts. instead is null for unused grants. Asynchronous commit is safe: after a crash the later, reserved time stands.
      CREATE FUNCTION budget.settle(wanted text, logged_at float8, instead float8, n integer) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        s budget.upstreams;
        first integer;
        found integer;
        rest float8[];
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        s := budget.locked(wanted);
        first := array_position(s.log, logged_at);
        IF s.epoch IS NOT NULL OR first IS NULL THEN RETURN; END IF;
        SELECT least(n, count(*)) INTO found FROM unnest(s.log) m WHERE m = logged_at;
        rest := s.log[:first - 1] || s.log[first + found:];
        IF instead IS NOT NULL THEN rest := rest || array_fill(instead, ARRAY[found]); END IF;
        UPDATE budget.upstreams SET log = (SELECT coalesce(array_agg(m ORDER BY m), '{}') FROM unnest(rest) m) WHERE name = wanted;
      END $$;

      CREATE FUNCTION budget.pause(wanted text, what text, ms float8, told_now float8) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        s budget.upstreams := budget.locked(wanted);
        until_ms float8 := coalesce(told_now, budget.clock_ms()) + ms;
      BEGIN
        UPDATE budget.upstreams SET
          paused_second_until = CASE WHEN what = 'second' THEN greatest(s.paused_second_until, until_ms) ELSE s.paused_second_until END,
          paused_day_until = CASE WHEN what = 'day' THEN greatest(s.paused_day_until, until_ms) ELSE s.paused_day_until END
        WHERE name = wanted;
      END $$;

      -- Gives the lease to a Redis server. Rejects (new_epoch is null) while another's lease lasts, and if this server received it just now,
      -- since another client is rebuilding its state. wait_*_ms: nothing may be granted for so long; after a rejection, when to retry.
      CREATE FUNCTION budget.acquire(
        wanted text, at_server text, lease_ms float8, settle_ms float8, told_now float8,
        OUT new_epoch uuid, OUT wait_second_ms float8, OUT wait_day_ms float8,
        OUT on_day integer, OUT used_withdrawal integer, OUT used_deposit integer, OUT used_rescreen integer) LANGUAGE plpgsql AS $$
      DECLARE
        rebuild_ms CONSTANT float8 := 1000;
        ask_again_ms CONSTANT float8 := 50;
        s budget.upstreams := budget.locked(wanted);
        now_ms float8 := coalesce(told_now, budget.clock_ms());
      BEGIN
        IF s.epoch IS NOT NULL AND s.holder = at_server AND now_ms BETWEEN s.acquired_at AND s.acquired_at + rebuild_ms THEN
          wait_second_ms := ask_again_ms;
          RETURN;
        END IF;
        -- The same server lost its state and grants nothing under the old lease; another one may, until its end.
        IF s.epoch IS NOT NULL AND s.holder <> at_server AND now_ms < s.held_until THEN
          wait_second_ms := s.held_until - now_ms;
          RETURN;
        END IF;
        new_epoch := gen_random_uuid();
        -- Before the first grant no wait is needed.
        wait_second_ms := greatest(CASE WHEN s.tat = 0 AND s.held_until = 0 THEN 0 ELSE settle_ms END, s.paused_second_until - now_ms);
        wait_day_ms := greatest(0, s.paused_day_until - now_ms);
        on_day := s.day;
        used_withdrawal := s.used_withdrawal;
        used_deposit := s.used_deposit;
        used_rescreen := s.used_rescreen;
        UPDATE budget.upstreams u SET epoch = new_epoch, holder = at_server, acquired_at = now_ms, held_until = now_ms + lease_ms WHERE u.name = wanted;
      END $$;

      -- Reserves up to this count of one lane's day and extends the lease. on_day is null if another has the lease. Idempotent.
      CREATE FUNCTION budget.reserve(
        wanted text, at_epoch uuid, for_day integer, lane text, upto integer, lease_ms float8, told_now float8,
        OUT on_day integer, OUT used_withdrawal integer, OUT used_deposit integer, OUT used_rescreen integer) LANGUAGE plpgsql AS $$
      DECLARE
        s budget.upstreams := budget.locked(wanted);
        now_ms float8 := coalesce(told_now, budget.clock_ms());
      BEGIN
        IF lane NOT IN ('withdrawal', 'deposit', 'rescreen') THEN RAISE EXCEPTION 'no such lane: %', lane; END IF;
        IF s.epoch IS DISTINCT FROM at_epoch THEN RETURN; END IF;
        IF for_day > s.day THEN
          s.day := for_day; s.used_withdrawal := 0; s.used_deposit := 0; s.used_rescreen := 0;
        END IF;
        IF for_day = s.day THEN
          IF lane = 'withdrawal' THEN s.used_withdrawal := greatest(s.used_withdrawal, upto);
          ELSIF lane = 'deposit' THEN s.used_deposit := greatest(s.used_deposit, upto);
          ELSE s.used_rescreen := greatest(s.used_rescreen, upto);
          END IF;
        END IF;
        on_day := s.day;
        used_withdrawal := s.used_withdrawal;
        used_deposit := s.used_deposit;
        used_rescreen := s.used_rescreen;
        UPDATE budget.upstreams u SET
          day = s.day, used_withdrawal = s.used_withdrawal, used_deposit = s.used_deposit, used_rescreen = s.used_rescreen, held_until = now_ms + lease_ms
        WHERE u.name = wanted;
      END $$;`,
  },
];
