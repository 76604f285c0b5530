// What a unit was heard to promise: one line for each answer.

export interface Said {
  readonly to: 'start' | 'submit' | 'approve' | 'apply' | 'fail' | 'message' | 'call' | 'put' | 'remove' | 'mint' | 'revoke' | 'freeze'
  /** Of what the answer was about. */
  readonly id: string
}
