// Sends agent messages to Slack as rich text elements, so that no text mentions anyone or shows a link preview.
import * as v from 'valibot'
import { type Outgoing, type OutgoingFile, SendFailure } from '../channel.ts'
import type { App } from './app.ts'
import { offer } from './cards.ts'
import { fileFailureOf } from './faults.ts'
import { markupBlocks } from './markup.ts'
import { Id } from './read.ts'
import { escapeText } from './text.ts'

/** Slack uploads in three steps: it returns a URL, takes the bytes, and then shows the file. A crash before the last step shows nothing;
 * one right after it shows the file twice. */
const Ticket = v.object({ upload_url: v.pipe(v.string(), v.url()), file_id: Id })

const sendFile = async (
  app: App,
  { address, thread }: Pick<Outgoing, 'address' | 'thread'>,
  { file, signal }: { readonly file: OutgoingFile; readonly signal: AbortSignal },
): Promise<'sent'> => {
  const name = file.name.toWellFormed()
  try {
    const { files } = app.asBot(signal)
    const ticket = v.safeParse(Ticket, await files.getUploadURLExternal({ filename: name, length: file.bytes.length }))
    if (!ticket.success) throw new SendFailure('later', 'Slack did not return an upload URL')
    const { upload_url: url, file_id: id } = ticket.output
    await app.upload(new URL(url), file.bytes, signal)
    const place = thread === undefined ? { channel_id: address } : { channel_id: address, thread_ts: thread }
    await files.completeUploadExternal({ files: [{ id, title: name }], ...place })
    return 'sent'
  } catch (error) {
    throw fileFailureOf(error)
  }
}

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
