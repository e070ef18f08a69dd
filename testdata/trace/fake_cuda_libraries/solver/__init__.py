def read(array):
    return array.__cuda_array_interface__
