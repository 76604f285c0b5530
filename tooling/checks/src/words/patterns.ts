// Wording that readers stumble over, and what to write in its place. Patterns are case-insensitive.

export interface Pattern {
  readonly pattern: RegExp
  readonly instead: string
}

export const patterns: readonly Pattern[] = [
  { pattern: /\b(anew|afresh)\b/i, instead: 'again' },
  { pattern: /\bbeforehand\b/i, instead: 'in advance' },
  { pattern: /\bmeanwhile\b/i, instead: 'in the meantime' },
  { pattern: /\b(mend(s|ed|ing)?)\b/i, instead: 'fix' },
  { pattern: /\b(?:is|are|was|were) asked for\b|\basked for by\b/i, instead: 'requested (by)' },
  { pattern: /\black(s|ing)?(?=[.,;:)]|$)/i, instead: 'is missing' },
  { pattern: /\bwhoever\b/i, instead: 'anyone who, or name who acts' },
  { pattern: /\bof ours\b/i, instead: 'our …, or name the thing' },
  { pattern: /\bno more(?=[.,;:)]|$)/i, instead: 'no longer' },
  { pattern: /\bbe it\b/i, instead: 'whether' },
  { pattern: /\b(?:let|lets|letting) go of\b/i, instead: 'drop, release' },
  { pattern: /\bso many\b/i, instead: 'the number, or "maximum"' },
  { pattern: /\bthe usual\b/i, instead: 'default' },
  { pattern: /\bcome(s)? of it\b|\bbecame of\b|\bcame of\b/i, instead: 'outcome' },
  { pattern: /(?<!\b(?:by|on|for) [^.;,]{1,40})\balone(?=[.,;:)]|$)/i, instead: 'only' },
  { pattern: /\bwaits? for (?:a|the) (?:human|decision)\b/i, instead: 'pending' },
  { pattern: /\bin vain\b/i, instead: 'without effect, forever' },
  { pattern: /\bin the place of\b/i, instead: 'instead of, replaces' },
  { pattern: /\bbut for\b/i, instead: 'except' },
  { pattern: /\bany more(?=[.,;:)]|$)/i, instead: 'anymore, no longer' },
  { pattern: /\b(?:stands?|lies?) in (?:the|its|their|a)\b/i, instead: 'is in' },
  { pattern: /\bwalls?\b(?![- ]clock)/i, instead: 'control, isolation layer' },
  { pattern: /\bthe (?:gate|house)\b|\bdoors?\b/i, instead: 'the gateway, the unit, the socket' },
  { pattern: /\b(?:is|are|was|were) lent\b/i, instead: 'is granted' },
  { pattern: /\b(?:tak(?:es?|ing)|giv(?:es?|ing)) power\b/i, instead: 'removes access, adds access' },
  { pattern: /\b(?:makes?|made) ready\b/i, instead: 'prepares' },
  { pattern: /\bheed(?:s|ed|ing)?\b/i, instead: 'respect, support' },
  { pattern: /\breckon(?:s|ed|ing)?\b/i, instead: 'estimate' },
  { pattern: /\bfor want of\b/i, instead: 'because … is missing' },
  { pattern: /(?:^|[.!:] )(?:Who|What is|What was) [^.?!]*(?:[.!]|$)/, instead: 'subject, verb, object' },
]
