// Sends what an agent said: laid out by elements that mean nothing to Slack, so that it calls nobody, and no link is followed for a preview.
import type { Outgoing } from '../channel.ts'
import type { App } from './app.ts'
import { markupBlocks } from './markup.ts'
import { offer } from './offer.ts'
import { sendFile } from './send-file.ts'
import { escapeText } from './text.ts'

export const sendSlack = async (app: App, outgoing: Outgoing, signal: AbortSignal): Promise<'sent'> => {
  const { address, thread, text, blocks, files } = outgoing
  const [file] = files
  if (file !== undefined) return sendFile(app, outgoing, { file, signal })
  const message = { channel: address, mrkdwn: false, parse: 'none', link_names: false } as const
  const quiet = { unfurl_links: false, unfurl_media: false }
  const content = { text: escapeText(text), blocks: (blocks && markupBlocks(blocks)) ?? [] }
  await offer(content, ({ text: words, blocks: layout }) =>
    app.asBot(signal).chat.postMessage({
      ...message,
      ...quiet,
      text: words,
      ...(layout.length > 0 && { blocks: layout }),
      ...(thread !== undefined && { thread_ts: thread }),
    }),
  )
  return 'sent'
}
