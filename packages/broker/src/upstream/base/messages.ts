// The messages of one line or one answer: one revision lets a server send several as a batch.
/** The rest of a batch is ignored: each message starts work before anything else has a turn. */
const maxBatch = 64

export const readMessages = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, maxBatch) : [value])
