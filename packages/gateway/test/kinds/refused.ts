// One row a payload that must be refused, and what each row asserts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kind, Evidence } from '@gatehouse/contracts'
import type { ChangeContext } from '../../src/state/unit-config.ts'
import { makeContext, refusalOf } from '../fixtures/change-context.ts'

/** `by` is a pointer below `/after` for the schema, else the rule of the verifier. */
export type Row = readonly [what: string, after: unknown, by: string, seen?: { context?: Partial<ChangeContext>; evidence?: Evidence }]

export const testRefusals = (kind: Kind, rows: readonly Row[]): void => {
  assert.ok(rows.length >= 8, `${kind} has ${rows.length} rows`)
  for (const [what, after, by, { context = {}, evidence = null } = {}] of rows) {
    test(`${kind} refuses ${what} by ${by}`, () => {
      const refusal = refusalOf(kind, after, { context: makeContext(context), evidence })
      if (by.startsWith('/')) {
        assert.ok(Array.isArray(refusal) && refusal.includes(by), JSON.stringify(refusal))
        return
      }
      assert.ok(refusal !== undefined && !Array.isArray(refusal), JSON.stringify(refusal))
      assert.equal(refusal.rule, by)
      // What is wrong, and what to do about it.
      assert.match(refusal.reason, /.{10,}[:,;] .{4,}/s)
    })
  }
}
