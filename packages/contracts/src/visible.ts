// The one way in which untrusted text is shown to a person: what hides, moves or reorders is written out.

/** Controls but newline and tab, marks of direction, line separators, all that takes no room, the blank that is no space. */
const hidden = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--[\n\t]]/gv

/** Each hidden character becomes `\u{202e}`; everything else stays as it is. */
export const visible = (text: string): string =>
  text.replaceAll(hidden, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
