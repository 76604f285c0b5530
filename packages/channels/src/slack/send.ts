// Sends what an agent said, as plain text: nothing of it is markup or calls anybody, and no link is followed for a preview.
import type { Outgoing } from '../channel.ts'
import type { App } from './app.ts'
import { failureOf } from './faults.ts'
import { sendFile } from './send-file.ts'
import { escapeText } from './text.ts'

export const sendSlack = async (app: App, outgoing: Outgoing, signal: AbortSignal): Promise<'sent'> => {
  const { address, thread, text, files } = outgoing
  const [file] = files
  if (file !== undefined) return sendFile(app, outgoing, { file, signal })
  const message = { channel: address, text: escapeText(text), mrkdwn: false, parse: 'none', link_names: false } as const
  const quiet = { unfurl_links: false, unfurl_media: false }
  try {
    await app.asBot(signal).chat.postMessage({ ...message, ...quiet, ...(thread !== undefined && { thread_ts: thread }) })
    return 'sent'
  } catch (error) {
    throw failureOf(error)
  }
}
