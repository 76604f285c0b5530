// The gate, as a mark.

export const Mark = () => (
  <svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
    <path
      d="M4 21V10a8 8 0 0 1 16 0v11M8.5 21v-9m7 9v-9M12 21V8.5M2.5 21h19"
      fill="none"
      stroke="currentColor"
      stroke-width="1.8"
      stroke-linecap="round"
    />
  </svg>
)
