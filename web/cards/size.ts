/** The size that the places where addresses are shared ask for, in pixels. */
export const CARD_SIZE = { width: 1_200, height: 630 } as const;
