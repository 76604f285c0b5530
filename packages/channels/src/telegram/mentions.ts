// What Telegram would take for a name and call somebody by. Set as code it stays as it was written, and calls nobody.
import type { MessageEntity } from 'grammy/types'

/** Somewhat more than Telegram finds. */
const name = /(?<![\p{L}\p{N}_])@\w{2,}/gu

const endOf = ({ offset, length }: MessageEntity): number => offset + length

/** What of it lies outside. */
const without = (entity: MessageEntity, from: number, to: number): MessageEntity[] => {
  if (endOf(entity) <= from || entity.offset >= to || entity.type === 'blockquote') return [entity]
  // It is none without all of what it shows.
  if (entity.type === 'text_link') return []
  return [
    { ...entity, length: from - entity.offset },
    { ...entity, offset: to, length: endOf(entity) - to },
  ].filter(({ length }) => length > 0)
}

const quiet = new Set(['pre', 'code', 'text_link'])

const isQuiet = (entity: MessageEntity, from: number, to: number): boolean =>
  quiet.has(entity.type) && entity.offset <= from && endOf(entity) >= to

/** Entities by which nobody is called. */
export const muted = (text: string, entities: readonly MessageEntity[]): MessageEntity[] => {
  let all = [...entities]
  for (const { index, 0: found } of text.matchAll(name)) {
    const to = index + found.length
    if (all.some((entity) => isQuiet(entity, index, to))) continue
    all = [...all.flatMap((entity) => without(entity, index, to)), { type: 'code', offset: index, length: found.length }]
  }
  return all
}
