/** A binary column (`FixedString`) as `0x` and lower-case hexadecimal digits, in SQL. */
export const hexText = (expression: string): string => `concat('0x', lower(hex(${expression})))`;
