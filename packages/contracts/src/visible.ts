// The one way in which untrusted text is shown to a person: what hides, moves or reorders is written out.

/** Controls but newline and tab, zero-width and bidirectional marks, line separators, tags, unassigned specials. */
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu

/** Each hidden character becomes `\u{202e}`; everything else stays as it is. */
export const visible = (text: string): string =>
  text.replaceAll(hidden, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
