// When people are reminded of a change that waits: at half and at 90 % of its life.
import type { Change } from '@gatehouse/contracts'

const shares = [0.5, 0.9]

const timeOf = ({ createdAt, expiresAt }: Change, share: number): number => {
  const began = Date.parse(createdAt)
  return expiresAt === undefined ? Number.POSITIVE_INFINITY : began + (Date.parse(expiresAt) - began) * share
}

/** How many of the reminders are due; several that were missed are one. */
export const dueReminder = (change: Change, now: number): number => shares.filter((share) => timeOf(change, share) <= now).length

/** RFC 3339; null where there is no more. @param reminded how many are done */
export const nextReminderAt = (change: Change, reminded: number): string | null => {
  const share = shares[reminded]
  const at = share === undefined || change.state !== 'held' ? Number.POSITIVE_INFINITY : timeOf(change, share)
  return Number.isFinite(at) ? new Date(Math.ceil(at)).toISOString() : null
}
