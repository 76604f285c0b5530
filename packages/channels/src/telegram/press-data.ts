// What a button carries, in the 64 bytes that Telegram gives it: the word, the change and what was shown of it. A client can send
// whatever it likes in its place, so it proves nothing: who may decide, and what, is judged on the person.
import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Press, ShownCard } from '../channel.ts'

const letters = { approve: 'a', reject: 'r' } as const

const dataOf = (outcome: Press['outcome'], { changeID, digest }: ShownCard): string =>
  `${letters[outcome]}${changeID.slice('chg_'.length)}:${digest.slice(0, 32)}`

export const keyboardOf = (card: ShownCard): InlineKeyboardMarkup => ({
  inline_keyboard: [
    [
      { text: 'Approve', callback_data: dataOf('approve', card) },
      { text: 'Reject', callback_data: dataOf('reject', card) },
    ],
  ],
})

const form = /^(?<letter>[ar])(?<change>\d{14}\.\d{9}):(?<digest>[0-9a-f]{32})$/

/** Undefined: no button of ours carries this. */
export const readData = (data: string): Pick<Press, 'outcome' | 'changeID' | 'digest'> | undefined => {
  const { letter, change, digest } = form.exec(data)?.groups ?? {}
  if (letter === undefined || change === undefined || digest === undefined) return undefined
  return { outcome: letter === letters.approve ? 'approve' : 'reject', changeID: `chg_${change}`, digest }
}
