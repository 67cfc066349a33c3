import { extendZodWithOpenApi } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';

// Schemas of the API are built from this `z`, so that `.openapi()` exists before the first of them.
extendZodWithOpenApi(z);

export { z };
