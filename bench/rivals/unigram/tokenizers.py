import huggingface

huggingface.serve_ids()
