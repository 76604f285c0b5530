// Who is told that they may not approve a change, and who may approve again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangeView, Status } from '@gatehouse/contracts'
import { whyNotApprove } from '../../src/pages/change/approval-rights.ts'

const change = (more: Partial<ChangeView> = {}): ChangeView =>
  ({ kind: 'persona', principal: 'ann', approvals: { needed: 1, given: 0 }, decisions: [], digest: 'd', ...more }) as unknown as ChangeView
const as = (name: string): Status => ({ principal: { name, role: 'approver' } }) as unknown as Status

test('says who may not approve, as the gateway would', () => {
  assert.equal(whyNotApprove(change(), as('bob')), undefined)
  assert.match(whyNotApprove(change(), as('ann')) ?? '', /someone else must approve/)
  assert.equal(whyNotApprove(change({ kind: 'mcp_revoke' }), as('ann')), undefined)
  assert.equal(whyNotApprove(change({ principal: 'admin' }), as('admin')), undefined)
  const two = { needed: 2, given: 1 }
  assert.match(whyNotApprove(change({ principal: 'admin', approvals: two }), as('admin')) ?? '', /someone else must approve/)
  const mine = [{ outcome: 'approve', by: 'b', principal: 'bob', at: '', digest: 'd' }] as unknown as ChangeView['decisions']
  assert.match(whyNotApprove(change({ approvals: two, decisions: mine }), as('bob')) ?? '', /another person/i)
  assert.equal(whyNotApprove(change({ approvals: two, decisions: mine, digest: 'moved' as ChangeView['digest'] }), as('bob')), undefined)
})

test('a person whose approval no longer counts may approve again', () => {
  const approvals = (given: number): ChangeView['approvals'] => ({ needed: 2, given })
  const approved = (...names: string[]): ChangeView['decisions'] =>
    names.map((name) => ({ outcome: 'approve', by: name, principal: name, at: '', digest: 'd' })) as unknown as ChangeView['decisions']
  const why = (given: number, ...names: string[]): string | undefined =>
    whyNotApprove(change({ approvals: approvals(given), decisions: approved(...names) }), as('bob'))
  assert.equal(why(0, 'bob'), undefined)
  assert.equal(why(1, 'bob', 'carol'), undefined)
  assert.match(why(1, 'bob', 'bob') ?? '', /another person/i)
})
