// Parses a decision: `approve <id> <digest> [reason]` or `reject …` as the plain first line of a message. With a quote mark before it,
// the line may be another person's. Any other message is for the agent.
export interface DecisionCommand {
  readonly outcome: 'approve' | 'reject'
  /** The id of the change, or its short form. */
  readonly change: string
  readonly digest: string | undefined
  readonly reason: string | undefined
}

/** A leading mention of the unit. */
const called = /^(?:<@[^>\s]{1,64}>|@\S{1,64})[\s,:]*/

const form =
  /^(?<outcome>approve|reject)[ \t]+(?<change>chg_\d{14}\.\d{9}|\d{6}(?:\.\d{1,9})?)(?:[ \t]+(?<digest>[0-9a-f]{1,64}))?(?:[ \t]+(?<reason>\S.{0,1000}))?[ \t]*$/i

const firstLine = (text: string): string =>
  text
    .slice(0, 4_096)
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '') ?? ''

export const parseCommand = (text: string): DecisionCommand | undefined => {
  const { outcome, change, digest, reason } = form.exec(firstLine(text).replace(called, ''))?.groups ?? {}
  if (outcome === undefined || change === undefined) return undefined
  return {
    outcome: outcome.toLowerCase() === 'approve' ? 'approve' : 'reject',
    change: change.toLowerCase(),
    digest: digest?.toLowerCase(),
    reason,
  }
}
